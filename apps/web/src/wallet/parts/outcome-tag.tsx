import { CheckIcon, FaultIcon, HourglassIcon, Tag } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { STATUS_TEXTS } from './request-words.ts';
import type { Request } from './requests.ts';

const ICONS = { review: HourglassIcon, success: CheckIcon, failure: FaultIcon, ignored: null };

/** The outcome of a request or entry as a chip; the icon tells outcomes apart without colour. */
export function OutcomeTag({
  status,
  isApproved = false,
}: {
  status: Request['status'];
  /** An approved withdrawal waits for its payment: its review is over. */
  isApproved?: boolean;
}) {
  const { t } = useText();
  const Icon = ICONS[status];
  return (
    <Tag look={status === 'failure' ? 'bad' : 'plain'}>
      {Icon && <Icon size={12} />}
      {t(isApproved ? 'wallet.step.approved' : STATUS_TEXTS[status])}
    </Tag>
  );
}
