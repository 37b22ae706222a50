import { ReviewPage } from '../review-page.tsx';
import { IdentityCase } from './identity-case.tsx';

export default function IdentityPage() {
  return <ReviewPage kind="identity" Case={IdentityCase} />;
}
