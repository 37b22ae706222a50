import { IdentityCase } from './identity-case.tsx';
import { ReviewPage } from './review-page.tsx';

export default function IdentityPage() {
  return <ReviewPage kind="identity" Case={IdentityCase} />;
}
