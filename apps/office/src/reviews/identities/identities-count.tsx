import { QueueCount } from '../queue-count.tsx';

export default function IdentityCount() {
  return <QueueCount kind="identity" />;
}
