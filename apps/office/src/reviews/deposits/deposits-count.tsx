import { QueueCount } from '../queue-count.tsx';

export default function DepositCount() {
  return <QueueCount kind="deposit" />;
}
