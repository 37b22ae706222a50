import '@fairtick/ui/tokens.css';
import { createRoot } from 'react-dom/client';

const container = document.getElementById('app');
if (!container) throw new Error('there is no #app');
createRoot(container).render(<main>Fairtick Office</main>);
