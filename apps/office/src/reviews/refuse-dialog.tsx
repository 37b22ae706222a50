import { LANGUAGES, type Language, type Localised } from '@fairtick/protocol/languages';
import { useText } from '../messages/text-context.tsx';
import { Dialog, focusFirst } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';

export type Template = { readonly reason: string } & Localised;

/** The refusal as the customer will read it: the reason's text, plus what was added. */
function asRead(template: Template, added: string, language: Language): string {
  const text = added.trim();
  if (text === '') return template[language];
  return template.reason === 'other' ? text : `${template[language]} · ${text}`;
}

/** A refusal with its reason, shown in the customer's words in each language. */
export function RefuseDialog(props: {
  title: string;
  action: string;
  isOpen: boolean;
  /** The name of what is refused, for the draft of the reason. */
  about: string;
  templates: readonly Template[];
  onClose: () => void;
  onRefuse: (reason: string, text: string | undefined) => Promise<void>;
}) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <RefuseForm {...props} />
    </Dialog>
  );
}

function RefuseForm({ action, about, templates, onClose, onRefuse }: Parameters<typeof RefuseDialog>[0]) {
  const { t, word } = useText();
  const form = useForm({ draft: `refuse ${about}`, values: { reason: '', text: '' } });
  const { reason, text: added } = form.values;
  const template = templates.find((one) => one.reason === reason);
  return (
    <form
      className={formClass}
      onSubmit={form.onSubmit(() => onRefuse(reason, added.trim() === '' ? undefined : added.trim()))}
    >
      <SelectField
        label={t('refuse.reason')}
        hint={t('refuse.readBy')}
        ref={focusFirst}
        {...form.field('reason')}
      >
        <option value="">{t('refuse.choose')}</option>
        {templates.map((one) => (
          <option key={one.reason} value={one.reason}>
            {word('reason', one.reason)}
          </option>
        ))}
      </SelectField>
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
        {action}
      </FormEnd>
    </form>
  );
}
