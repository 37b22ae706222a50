import { queryClient } from '../api/query-client.tsx';
import { goBack } from '../shell/navigate.ts';
import { useToast } from '../state/toast.ts';
import { refreshUserInfo } from '../state/user-info.ts';

/** Something that withdrawals go by was changed: every screen that shows it or its hold is told, and the reader is back. */
export async function changed(text: string, above: string): Promise<void> {
  await refreshUserInfo();
  void queryClient.invalidateQueries();
  useToast.getState().show(text);
  goBack(above);
}
