import type { Order } from '@fairtick/protocol';
import { Button, Card, Notice } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useState } from 'react';
import { faultText } from '../../api/tell-fault.ts';
import { useText, WithTexts } from '../../messages/text-context.tsx';
import { useSession } from '../../state/session.ts';
import type { CheckedReceipt } from './check-receipt.ts';
import css from './receipt-check.module.css';

const ReceiptReportView = lazy(() => untilLoaded(() => import('./receipt-report.tsx')));

/** "Check this settlement": loads the verifier on request and runs it on this device. */
export function ReceiptCheck({ order }: { order: Order }) {
  const { t } = useText();
  const customerId = useSession((state) => state.userInfo?.id ?? '');
  const [checked, setChecked] = useState<CheckedReceipt | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  if (order.status !== 'settled') return null;
  const check = async () => {
    setIsBusy(true);
    setFault(null);
    try {
      const { checkReceipt } = await untilLoaded(() => import('./check-receipt.ts'));
      setChecked(await checkReceipt(order.id, customerId));
    } catch (error) {
      setFault(faultText(error, t));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Card className={css.card ?? ''}>
      {!checked && (
        <>
          <p className={css.intro}>{t('evidence.checkIntro')}</p>
          <Button onClick={() => void check()} disabled={isBusy}>
            {t('evidence.check')}
          </Button>
          {fault !== null && <Notice>{fault}</Notice>}
        </>
      )}
      {checked && (
        <Suspense fallback={<p aria-busy="true">{t('evidence.check')}</p>}>
          <WithTexts part="receipt">
            <ReceiptReportView order={order} checked={checked} />
          </WithTexts>
        </Suspense>
      )}
    </Card>
  );
}
