import { Button, buttonClass } from '@fairtick/ui';
import { newKey } from '@fairtick/ui/keys';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { useForm } from '../../parts/use-form.ts';
import { Link } from '../../shell/link.tsx';
import { useSession } from '../../state/session.ts';
import { useToast } from '../../state/toast.ts';

/** The ways to move money out and in. Practice money is reset instead of withdrawn. */
export function MoneyLinks({ asset }: { asset: string }) {
  const { t } = useText();
  return (
    <>
      {asset === 'DEMO' ? (
        <ResetPractice />
      ) : (
        <Link href="/with" className={buttonClass} data-look="line" data-size="small">
          {t('home.withdraw')}
        </Link>
      )}
      <Link href="/recharge" className={buttonClass} data-look="gold" data-size="small">
        {t('home.deposit')}
      </Link>
    </>
  );
}

function ResetPractice() {
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
