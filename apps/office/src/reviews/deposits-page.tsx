import { DepositCase } from './deposit-case.tsx';
import { ReviewPage } from './review-page.tsx';

export default function DepositPage() {
  return <ReviewPage kind="deposit" Case={DepositCase} />;
}
