import { ClockIcon } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useSecond } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { formatDayMinute } from '../state/format.ts';

/**
 * A destination: its network, if it is an address, and the Unix ms from which withdrawals to it may be approved; null: not before a
 * claim of the account is decided.
 */
interface BoundState {
  readonly network: string | undefined;
  readonly usableAt: number | null;
}

/** How long a hold lasts, and each destination by the id of its card or the asset of its address. */
export function useHolds() {
  return useQuery({
    queryKey: ['withdrawOptions', 'holds'],
    queryFn: async ({ signal }) => {
      const { destinations, holdSeconds } = await get('withdraw/options', {}, { signal, isSilent: true });
      const states = destinations.map(({ id, kind, asset, facts, usableAt }): [string, BoundState] => [
        kind === 'bank' ? id : asset,
        { network: facts.find(({ name }) => name === 'network')?.value, usableAt },
      ]);
      return { holdSeconds, states: new Map(states) };
    },
  });
}

export function Hold({ until }: { until: number | null | undefined }) {
  const { t, tag } = useText();
  const now = useSecond();
  if (until === undefined || (until !== null && until <= now)) return null;
  return (
    <p className="with-icon flex gap-6 mt-4 ink-2">
      <ClockIcon size={16} />
      {until === null ? t('hold.claim') : t('hold.until', { time: formatDayMinute(until, tag) })}
    </p>
  );
}
