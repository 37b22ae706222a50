import { useSearch } from 'wouter/use-browser-location';
import { Queries } from '../api/query-client.tsx';
import { OrderDetail } from './order-detail.tsx';
import { OrderHistory } from './order-history.tsx';

/** `/historyOrder`: all orders, and with `?id=` one of them. */
export default function HistoryPage() {
  const id = new URLSearchParams(useSearch()).get('id');
  return (
    <Queries>
      <div hidden={id !== null}>
        <OrderHistory isShown={id === null} />
      </div>
      {id !== null && <OrderDetail key={id} id={id} />}
    </Queries>
  );
}
