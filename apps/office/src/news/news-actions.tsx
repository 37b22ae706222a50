import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import { momentOf } from './news-model.ts';
import { type Article, refreshNews } from './queries.ts';

/** Publishes the saved version now or at a set time, cancels a scheduled publication, withdraws a published article, or discards one that no reader has seen. */
export function NewsActions({ article }: { article: Article }) {
  const { t } = useText();
  const [dialog, setDialog] = useState<'publish' | 'withdraw' | null>(null);
  const form = useForm();
  const newest = article.versions[0];
  if (!newest) return null;
  const isScheduled = newest.publishAt !== null && !newest.isShown;
  const isSeen = article.versions.some(({ isShown }) => isShown);
  const withdrawal = t(isSeen ? 'news.withdraw' : 'news.discard');
  const { id } = article;
  const unschedule = async () => {
    await post('news/unschedule', { id, version: newest.version });
    await refreshNews();
  };
  return (
    <div className="row gap-8">
      <FormFault text={form.fault} />
      {isScheduled && <Action onClick={() => void form.send(unschedule)}>{t('news.unschedule')}</Action>}
      <Action onClick={() => setDialog('withdraw')}>{withdrawal}</Action>
      {!newest.isShown && (
        <Action look="gold" onClick={() => setDialog('publish')}>
          {t('news.publish')}
        </Action>
      )}
      <Dialog title={t('news.publish')} isOpen={dialog === 'publish'} onClose={() => setDialog(null)}>
        <Publish id={id} version={newest.version} onDone={() => setDialog(null)} />
      </Dialog>
      <Dialog title={withdrawal} isOpen={dialog === 'withdraw'} onClose={() => setDialog(null)}>
        <Withdraw id={id} isSeen={isSeen} onDone={() => setDialog(null)} />
      </Dialog>
    </div>
  );
}

function Publish({ id, version, onDone }: { id: string; version: number; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({ values: { at: '' } });
  const { at: local } = form.values;
  const send = async () => {
    await post('news/publish', { id, version, at: momentOf(local) ?? undefined });
    await refreshNews();
    useToast.getState().show(t(local === '' ? 'news.published' : 'news.scheduled'));
    onDone();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <TextField
        label={t('news.publishAt')}
        hint={t('news.publishHint')}
        type="datetime-local"
        {...form.field('at')}
        required={false}
      />
      <FormEnd form={form} onCancel={onDone}>
        {t(local === '' ? 'news.publishNow' : 'news.schedule')}
      </FormEnd>
    </form>
  );
}

function Withdraw({ id, isSeen, onDone }: { id: string; isSeen: boolean; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({ draft: `withdraw news ${id}`, values: { reason: '' } });
  const send = async () => {
    await post('news/withdraw', { id, ...form.values });
    await refreshNews();
    onDone();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className="note">{t(isSeen ? 'news.withdrawText' : 'news.discardText')}</p>
      <TextField label={t('staff.reason')} {...form.field('reason')} />
      <FormEnd form={form} onCancel={onDone} isRefusal>
        {t(isSeen ? 'news.withdraw' : 'news.discard')}
      </FormEnd>
    </form>
  );
}
