import { LANGUAGES, type Language, type Localised } from '@fairtick/protocol/languages';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog, focusFirst } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { KeyedAction } from '../shell/keyed-action.tsx';
import { useToast } from '../state/toast.ts';
import { refreshReview } from './queries.ts';
import type { ReviewKind } from './queue-model.ts';

type Template = { readonly reason: string } & Localised;

/** The refusal as the customer will read it: the reason's text, plus what was added. */
function asRead(template: Template, added: string, language: Language): string {
  const text = added.trim();
  if (text === '') return template[language];
  return template.reason === 'other' ? text : `${template[language]} · ${text}`;
}

interface RefuseProps {
  readonly kind: ReviewKind;
  readonly id: string;
  /** On the button that opens the dialog. */
  readonly label: string;
  /** What is refused, beside the label in the title. */
  readonly about: string;
  /** On the button that refuses; by default the label. */
  readonly action?: string;
  readonly isDisabled: boolean;
  /** Whether the key X opens it. */
  readonly isKeyed?: boolean;
  readonly templates: readonly Template[] | undefined;
  readonly refuse: (reason: string, text: string | undefined) => Promise<unknown>;
  /** Shown afterwards. */
  readonly done: string;
  readonly onDone: () => void;
}

/** A refusal with its reason, shown in the customer's words in each language. */
export function RefuseStep(props: RefuseProps) {
  const { t } = useText();
  const { label, about, isDisabled, isKeyed = true } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isKeyed ? (
        <KeyedAction hotkey="x" isRefusal disabled={isDisabled} onPress={() => setOpen(true)}>
          {label}
        </KeyedAction>
      ) : (
        <Action disabled={isDisabled} onClick={() => setOpen(true)}>
          {label}
        </Action>
      )}
      <Dialog
        title={t('shell.named', { name: label, value: about })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <RefuseForm {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function RefuseForm({ kind, id, templates = [], onClose, ...props }: RefuseProps & { onClose: () => void }) {
  const { t, word } = useText();
  const form = useForm({ draft: `refuse ${kind} ${id}`, values: { reason: '', text: '' } });
  const { reason, text: added } = form.values;
  const template = templates.find((one) => one.reason === reason);
  const send = async () => {
    await props.refuse(reason, added.trim() || undefined);
    onClose();
    useToast.getState().show(props.done);
    props.onDone();
    await refreshReview(kind, id);
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField
        label={t('refuse.reason')}
        hint={t('refuse.readBy')}
        ref={focusFirst}
        none={t('refuse.choose')}
        choices={templates.map((one) => one.reason)}
        nameOf={(one) => word('reason', one)}
        {...form.field('reason')}
      />
      <TextField
        label={t(reason === 'other' ? 'refuse.words' : 'refuse.added')}
        maxLength={500}
        {...form.field('text')}
        required={reason === 'other'}
        fault={form.faultOf('text') ?? form.faultOf('note')}
      />
      {template && (
        <dl className="stack gap-8 p-12 rounded-6 bg-s2">
          {LANGUAGES.map((one) => (
            <div key={one}>
              <dt className="caption">{t(`refuse.in.${one}`)}</dt>
              <dd className="breaks">{asRead(template, added, one)}</dd>
            </div>
          ))}
        </dl>
      )}
      <FormEnd form={form} onCancel={onClose} isRefusal disabled={reason === ''}>
        {props.action ?? props.label}
      </FormEnd>
    </form>
  );
}
