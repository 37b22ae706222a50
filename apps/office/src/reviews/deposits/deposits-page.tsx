import { ReviewPage } from '../review-page.tsx';
import { DepositCase } from './deposit-case.tsx';

export default function DepositPage() {
  return <ReviewPage kind="deposit" Case={DepositCase} />;
}
