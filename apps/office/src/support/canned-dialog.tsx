import { inEachLanguage, LANGUAGES } from '@fairtick/protocol/languages';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, LongField, TextField, useForm } from '../shell/form.tsx';
import css from './chats.module.css';
import { type Canned, useCanned } from './queries.ts';

const EMPTY: Canned = { id: '', title: '', ...inEachLanguage(() => '') };

/** Manages canned answers, each in every language: create, edit, remove. */
export function CannedDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  const canned = useCanned().data ?? [];
  const [edited, setEdited] = useState<Canned | null>(null);
  const close = () => {
    setEdited(null);
    onClose();
  };
  return (
    <Dialog title={t('chat.canned')} isOpen={isOpen} onClose={close}>
      {edited ? (
        <CannedForm key={edited.id} canned={edited} onDone={() => setEdited(null)} />
      ) : (
        <div className={formClass}>
          <ul className={css.cannedList}>
            {canned.map((one) => (
              <li key={one.id}>
                <span>{one.title}</span>
                <Action onClick={() => setEdited(one)}>{t('chat.edit')}</Action>
              </li>
            ))}
          </ul>
          <div className={buttonsClass}>
            <Action look="gold" onClick={() => setEdited(EMPTY)}>
              {t('chat.newCanned')}
            </Action>
          </div>
        </div>
      )}
    </Dialog>
  );
}

function CannedForm({ canned, onDone }: { canned: Canned; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({ draft: `canned ${canned.id}`, values: canned });
  const done = async () => {
    await refresh('canned');
    onDone();
  };
  const isNew = canned.id === '';
  const save = async () => {
    const { id, ...words } = form.values;
    await post('chat/setCanned', isNew ? words : { id, ...words });
    await done();
  };
  const remove = async () => {
    await post('chat/removeCanned', { id: canned.id });
    await done();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(save)}>
      <TextField label={t('chat.cannedTitle')} maxLength={60} {...form.field('title')} />
      {LANGUAGES.map((one) => (
        <LongField key={one} label={t(`language.${one}`)} rows={3} maxLength={1_000} {...form.field(one)} />
      ))}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        {!isNew && (
          <Action disabled={form.isBusy} onClick={() => void form.send(remove)}>
            {t('chat.remove')}
          </Action>
        )}
        <Action onClick={onDone}>{t('shell.cancel')}</Action>
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('chat.save')}
        </Action>
      </div>
    </form>
  );
}
