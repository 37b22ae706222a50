import { ReviewPage } from '../review-page.tsx';
import { WithdrawalCase } from './withdrawal-case.tsx';

export default function WithdrawalPage() {
  return <ReviewPage kind="withdrawal" Case={WithdrawalCase} />;
}
