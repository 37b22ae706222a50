import { Button } from '@fairtick/ui';
import { newKey } from '@fairtick/ui/keys';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useSession } from '../../state/session.ts';
import { useToast } from '../../state/toast.ts';

export function ResetPractice() {
  const { t } = useText();
  const form = useForm();
  const reset = async () => {
    const balances = await post('fund/resetDemo', {}, { idempotencyKey: newKey() });
    useSession.getState().change({ balances });
    useToast.getState().show(t('home.practiceReset'));
  };
  return (
    <Button size="small" decides disabled={form.isBusy} onClick={() => form.send(reset)}>
      {t('home.resetPractice')}
    </Button>
  );
}
