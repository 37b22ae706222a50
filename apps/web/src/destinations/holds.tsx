import { ClockIcon } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useSecond } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { formatDayMinute } from '../state/format.ts';
import css from './destinations.module.css';

/**
 * Map from a destination (the id of a card, or the asset of an address) to the Unix ms from which withdrawals to it may be approved;
 * null: not before a claim of the account is decided.
 */
export function useHolds() {
  return useQuery({
    queryKey: ['withdrawOptions', 'holds'],
    queryFn: async ({ signal }) => {
      const { destinations } = await get('withdraw/options', {}, { signal, isSilent: true });
      return new Map(
        destinations.map(({ id, kind, asset, usableAt }) => [kind === 'bank' ? id : asset, usableAt]),
      );
    },
  });
}

/** Says until when withdrawals to a changed destination are on hold. */
export function Hold({ until }: { until: number | null | undefined }) {
  const { t, tag } = useText();
  const now = useSecond();
  if (until === undefined || (until !== null && until <= now)) return null;
  return (
    <p className={css.hold}>
      <ClockIcon size={16} />
      {until === null ? t('hold.claim') : t('hold.until', { time: formatDayMinute(until, tag) })}
    </p>
  );
}
