import { queryClient } from '../api/query-client.tsx';
import { goBack } from '../shell/navigate.ts';
import { useToast } from '../state/toast.ts';
import { refreshUserInfo } from '../state/user-info.ts';

/** After a change of a destination or the withdrawal password: refetches everything that shows it, then goes back. */
export async function changed(text: string, above: string): Promise<void> {
  await refreshUserInfo();
  void queryClient.invalidateQueries();
  useToast.getState().show(text);
  goBack(above);
}
