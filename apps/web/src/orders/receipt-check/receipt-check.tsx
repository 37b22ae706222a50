import type { Order } from '@fairtick/protocol';
import { Button, Card, Notice } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useState } from 'react';
import { useText, WithTexts } from '../../messages/text-context.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useSession } from '../../state/session.ts';
import { CheckedMark, rememberChecked } from '../checked-receipts.tsx';
import type { CheckedReceipt } from './check-receipt.ts';
import css from './receipt-check.module.css';

const ReceiptReportView = lazy(() => untilLoaded(() => import('./receipt-report.tsx')));

export function ReceiptCheck({ order }: { order: Order }) {
  const { t } = useText();
  const customerId = useSession((state) => state.userInfo?.id ?? '');
  const [checked, setChecked] = useState<CheckedReceipt | null>(null);
  const form = useForm({ shows: 'all' });
  if (order.status !== 'settled') return null;
  const check = async () => {
    const { checkReceipt, isProved } = await untilLoaded(() => import('./check-receipt.ts'));
    const found = await checkReceipt(order.id, customerId);
    await rememberChecked(order.id, found.receipt, isProved(found) ? found.checkedAtMs : null);
    setChecked(found);
  };
  const fault = form.isUnanswered ? t('shell.networkError') : form.fault;
  return (
    <Card className={css.card ?? ''}>
      {!checked && (
        <>
          <CheckedMark order={order} />
          <p className="caption mb-12">{t('evidence.checkIntro')}</p>
          <Button look="gold" isBlock onClick={() => form.send(check)} disabled={form.isBusy}>
            {t('evidence.check')}
          </Button>
          {fault !== null && <Notice>{fault}</Notice>}
        </>
      )}
      {checked && (
        <Suspense fallback={<p aria-busy="true">{t('evidence.check')}</p>}>
          <WithTexts part="receipt">
            <ReceiptReportView orderId={order.id} checked={checked} />
          </WithTexts>
        </Suspense>
      )}
    </Card>
  );
}
