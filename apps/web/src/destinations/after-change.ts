import { queryClient } from '../api/query-client.tsx';
import { refreshUserInfo } from '../live/user-info.ts';
import { goBack } from '../shell/navigate.ts';
import { useToast } from '../state/toast.ts';

/** After a change of a destination or the withdrawal password: refetches everything that shows it, then goes back. */
export async function afterChange(text: string, above: string): Promise<void> {
  await refreshUserInfo();
  void queryClient.invalidateQueries();
  useToast.getState().show(text);
  goBack(above);
}
