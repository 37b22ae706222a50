import { Button } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { newKey } from '../api/keys.ts';
import { tellFault } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import { useToast } from '../state/toast.ts';

/** Resets the practice money to 10 000. */
export function ResetPractice() {
  const { t } = useText();
  const [isBusy, setBusy] = useState(false);
  const reset = async () => {
    setBusy(true);
    try {
      const balances = await post('fund/resetDemo', {}, { idempotencyKey: newKey() });
      useSession.getState().change({ balances });
      useToast.getState().show(t('home.practiceReset'));
    } catch (error) {
      tellFault(error, t);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="small" disabled={isBusy} onClick={reset}>
      {t('home.resetPractice')}
    </Button>
  );
}
