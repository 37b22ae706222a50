import { Button, FileIcon, Notice } from '@fairtick/ui';
import { saveFile } from '@fairtick/ui/save-file';
import { useState } from 'react';
import css from '../account/account.module.css';
import { getFile, post } from '../api/client.ts';
import { serverNow } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { heldOrders, keptLogs } from '../orders/receipt-check/kept.ts';
import { documentFile } from '../orders/receipt-check/share-file.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SendForm, TextField } from '../parts/form-parts.tsx';
import { pageOf } from '../parts/page.tsx';
import { blank, useForm } from '../parts/use-form.ts';
import { dayOf } from '../state/format.ts';
import { customerNow, useSession } from '../state/session.ts';
import { endSession } from '../state/session-lifecycle.ts';
import { useToast } from '../state/toast.ts';
import own from './security.module.css';

/** `/myData`: an export of everything stored about the customer, and closing the account. */
export default pageOf('security', MyData);

function MyData() {
  const { t } = useText();
  return (
    <div className="page">
      <p className={`secondary ${css.lead}`}>{t('myData.lead')}</p>
      <Export />
      <Evidence />
      <Close />
    </div>
  );
}

function Export() {
  const { t } = useText();
  const form = useForm();
  const take = async () => {
    saveFile(new File([await getFile('user/exportData', {})], `fairtick-data-${dayOf(serverNow())}.zip`));
    useToast.getState().show(t('myData.exported'));
  };
  return (
    <section aria-labelledby="export">
      <h2 id="export" className={own.heading}>
        {t('myData.export')}
      </h2>
      <p className="secondary">{t('myData.exportText')}</p>
      <div className={own.actions}>
        <Button isBlock look="gold" disabled={form.isBusy} onClick={() => form.send(take)}>
          <FileIcon size={20} />
          {form.isBusy ? t('myData.exporting') : t('myData.export')}
        </Button>
      </div>
      <p className="note mt-10">{t('myData.exportNote')}</p>
    </section>
  );
}

/** Saves the evidence of the customer's orders, which only this device holds, as one file. */
function Evidence() {
  const { t } = useText();
  const form = useForm();
  const take = async () => {
    const orders = await heldOrders(customerNow() ?? '').catch(() => []);
    if (orders.length === 0) return useToast.getState().show(t('myData.noEvidence'));
    const evidence = { logs: await keptLogs(), orders };
    saveFile(documentFile(`evidence-${dayOf(serverNow())}`, evidence));
    useToast.getState().show(t('myData.evidenceSaved', { count: orders.length }));
  };
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence" className={own.heading}>
        {t('myData.evidence')}
      </h2>
      <p className="secondary">{t('myData.evidenceText')}</p>
      <div className={own.actions}>
        <Button isBlock disabled={form.isBusy} onClick={() => form.send(take)}>
          <FileIcon size={20} />
          {t('myData.evidence')}
        </Button>
      </div>
    </section>
  );
}

function Close() {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-labelledby="close">
      <h2 id="close" className={own.heading}>
        {t('myData.close')}
      </h2>
      <p className="secondary">{t('myData.closeText')}</p>
      <dl className={`card mt-16 text-13 ${own.facts}`}>
        <dt>{t('myData.first')}</dt>
        <dd>{t('myData.firstMoney')}</dd>
        <dd>{t('myData.firstOpen')}</dd>
        <dt>{t('myData.gone')}</dt>
        <dd>{t('myData.goneWhat')}</dd>
        <dt>{t('myData.kept')}</dt>
        <dd>{t('myData.keptWhat')}</dd>
        <dd>{t('myData.keptLog')}</dd>
      </dl>
      <div className={own.actions}>
        <Button look="bad" isBlock onClick={() => setOpen(true)}>
          {t('myData.close')}
        </Button>
      </div>
      <Dialog title={t('myData.closeTitle')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <CloseForm />
      </Dialog>
    </section>
  );
}

function CloseForm() {
  const { t } = useText();
  const own = useSession((state) => state.userInfo?.account ?? '');
  const form = useForm({
    values: { account: '' },
    shows: 'all',
    check: (values) => blank(values, { account: 'fault.accountRequired' }),
  });
  const send = async () => {
    await post('user/closeAccount', { account: form.values.account.trim() });
    useToast.getState().show(t('myData.closed'));
    endSession();
  };
  return (
    <SendForm form={form} send={send} button={t('myData.closeYes')} look="bad" top={4}>
      <Notice look="bad">{t('myData.closeText')}</Notice>
      <TextField
        label={t('myData.typeAccount', { account: own })}
        maxLength={40}
        {...form.field('account')}
      />
    </SendForm>
  );
}
