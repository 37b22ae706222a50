import { useSearch } from 'wouter/use-browser-location';
import { pageOf } from '../parts/page.tsx';
import { OrderDetail } from './order-detail.tsx';
import { OrderHistory } from './order-history.tsx';

/** `/historyOrder`: all orders, and with `?id=` one of them. */
export default pageOf('wallet', History);

function History() {
  const id = new URLSearchParams(useSearch()).get('id');
  return (
    <>
      <div hidden={id !== null}>
        <OrderHistory isShown={id === null} />
      </div>
      {id !== null && <OrderDetail key={id} id={id} />}
    </>
  );
}
