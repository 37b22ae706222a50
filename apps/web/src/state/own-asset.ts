import { useSession } from './session.ts';
import { useSettings } from './settings.ts';

const PRACTICE = 'DEMO';

/** The asset that screens of one's own money begin with: the one chosen, else the first real one of which the customer has any. */
export function useOwnAsset(): string {
  const chosen = useSettings((state) => state.chosenAsset);
  const held = useSession((state) =>
    state.userInfo?.balances.find(
      ({ asset, available, held, earning }) =>
        asset !== PRACTICE && [available, held, earning].some((amount) => Number(amount) > 0),
    ),
  );
  return chosen ?? held?.asset ?? PRACTICE;
}
