import { QueueCount } from '../queue-count.tsx';

export default function WithdrawalCount() {
  return <QueueCount kind="withdrawal" />;
}
