import { CheckIcon, FaultIcon, HourglassIcon, Tag } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { type Outcome, outcomeText } from './request-words.ts';

const ICONS = { review: HourglassIcon, success: CheckIcon, failure: FaultIcon, ignored: null };

/** The outcome of a request or entry as a chip; the icon tells outcomes apart without colour. */
export function OutcomeTag({ of: outcome }: { of: Outcome }) {
  const { language } = useText();
  const { status } = outcome;
  const Icon = ICONS[status];
  return (
    <Tag look={status === 'failure' ? 'bad' : 'plain'}>
      {Icon && <Icon size={12} />}
      {outcomeText(outcome, language)}
    </Tag>
  );
}
