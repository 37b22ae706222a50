import { fieldIn, LANGUAGES, type Language } from '@fairtick/protocol/languages';
import { ArticleText, FileIcon, Tabs } from '@fairtick/ui';
import { usePicture } from '@fairtick/ui/picture';
import { useDeferredValue, useId } from 'react';
import { useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, formClass, LongText, SelectField, TextField, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import css from './news.module.css';
import { type Draft, fieldsOf, firstWritten, isSame, missing, type Text } from './news-model.ts';
import { refreshNews, usePreview } from './queries.ts';

const KINDS = ['notice', 'rules', 'market', 'guide'] as const;

/** The editor of an article beside a preview for readers. Saving makes a new version but does not publish it. */
export function NewsEditor(props: {
  id: string | null;
  base: number;
  saved: Draft;
  /** The open language; undefined until one is chosen. */
  language: Language | undefined;
  onLanguage: (language: Language) => void;
  isReadOnly?: boolean;
}) {
  const { id, base, saved, isReadOnly = false } = props;
  const { t, word } = useText();
  const [, go] = useLocation();
  const form = useForm({ draft: isReadOnly ? undefined : `news ${id} ${base}`, values: saved });
  const draft = form.values;
  const language = props.language ?? firstWritten(saved);
  const unwritten = missing(draft);
  const isPartial = unwritten.length > 0 && unwritten.length < LANGUAGES.length;
  const labelOf = (one: Language) => {
    const label = t(`newsLanguage.${one}`);
    return isPartial && unwritten.includes(one) ? t('news.unwritten', { language: label }) : label;
  };
  const text = draft.texts[language];
  const setText = (change: Partial<Text>) =>
    form.set({ texts: { ...draft.texts, [language]: { ...text, ...change } } });
  const send = async () => {
    const { id: savedId } = await post('news/save', { id: id ?? undefined, base, ...fieldsOf(draft) });
    await refreshNews();
    useToast.getState().show(t('news.saved'));
    if (id === null) go(`/${savedId}`, { replace: true });
  };
  return (
    <form onSubmit={form.onSubmit(send)}>
      <fieldset className={formClass} disabled={isReadOnly}>
        <div className={css.about}>
          <SelectField
            label={t('news.kind')}
            value={draft.category}
            onChange={(event) => form.set({ category: event.target.value })}
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {word('newsKind', kind)}
              </option>
            ))}
          </SelectField>
          <TextField label={t('news.source')} {...form.field('source')} />
          <TextField
            label={t('news.sourceUrl')}
            inputMode="url"
            {...form.field('sourceUrl')}
            required={false}
          />
          <CoverField name={draft.cover} onChange={(cover) => form.set({ cover })} />
        </div>
        <Tabs
          id="news-language"
          label={t('shell.language')}
          value={language}
          onChange={props.onLanguage}
          tabs={LANGUAGES.map((value) => ({ value, label: labelOf(value) }))}
        />
        <div
          role="tabpanel"
          aria-labelledby={`news-language-${language}`}
          className="halves gap-24"
          key={language}
        >
          <div className={formClass}>
            <TextField
              label={t('news.title')}
              value={text.title}
              maxLength={200}
              fault={form.faultOf(fieldIn('title', language))}
              onChange={(event) => setText({ title: event.target.value })}
            />
            <LongField
              label={t('news.summary')}
              hint={t('news.summaryHint')}
              rows={2}
              maxLength={500}
              value={text.summary}
              fault={form.faultOf(fieldIn('summary', language))}
              onChange={(summary) => setText({ summary: summary.replaceAll('\n', ' ') })}
            />
            <LongField
              label={t('news.body')}
              rows={18}
              maxLength={30_000}
              isCode
              value={text.body}
              fault={form.faultOf(fieldIn('body', language))}
              onChange={(body) => setText({ body })}
            />
          </div>
          <Preview text={text} />
        </div>
        {!isReadOnly && isPartial && <p className="note">{t('news.missing')}</p>}
        {!isReadOnly && (
          <div className={css.save}>
            {id !== null && (
              <TextField
                label={t('news.note')}
                hint={t('news.noteHint')}
                {...form.field('note')}
                required={false}
              />
            )}
            <FormFault text={form.fault} />
            <Action
              look={id === null ? 'gold' : 'line'}
              type="submit"
              disabled={form.isBusy || isSame(draft, saved)}
            >
              {t(id === null ? 'news.saveDraft' : 'news.save')}
            </Action>
          </div>
        )}
      </fieldset>
    </form>
  );
}

function LongField(props: {
  label: string;
  hint?: string;
  rows: number;
  maxLength: number;
  isCode?: boolean;
  value: string;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  const id = useId();
  const note = props.fault ?? props.hint;
  return (
    <div className={`stack gap-6 ${css.body}`}>
      <label className="secondary" htmlFor={id}>
        {props.label}
      </label>
      <LongText
        id={id}
        rows={props.rows}
        maxLength={props.maxLength}
        data-code={props.isCode ? '' : undefined}
        value={props.value}
        aria-invalid={props.fault ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {note && (
        <p id={`${id}-note`} className="caption" role={props.fault ? 'alert' : undefined}>
          {note}
        </p>
      )}
    </div>
  );
}

/** Rendered by the server in the same way as for readers. */
function Preview({ text }: { text: Text }) {
  const { t } = useText();
  const body = useDeferredValue(text.body);
  const nodes = usePreview(body).data?.nodes ?? [];
  return (
    <section className={css.previewed} aria-label={t('news.preview')}>
      <span className="secondary" aria-hidden="true">
        {t('news.preview')}
      </span>
      <div className={`box ${css.preview}`}>
        <h2 data-empty={text.title === '' ? '' : undefined}>{text.title || t('news.title')}</h2>
        <ArticleText nodes={nodes} />
      </div>
    </section>
  );
}

function CoverField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const { t } = useText();
  const form = useForm();
  const picture = usePicture((file) => {
    if (file === null) return onChange('');
    form.send(async () => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      onChange((await post('news/cover', { picture: base64url(bytes) })).name);
    });
  });
  return (
    <div className={`stack gap-6 ink-2 ${css.cover}`}>
      <span>{t('news.cover')}</span>
      {name !== '' && <img src={`/api/news/picture?name=${name}`} alt="" width={128} height={72} />}
      <label className={`framed file row gap-8 ${css.file}`}>
        <FileIcon size={18} />
        <span aria-hidden="true">{t('news.chooseCover')}</span>
        <input
          {...picture.input}
          className="cover"
          aria-label={t('news.chooseCover')}
          disabled={form.isBusy || picture.isPreparing}
        />
      </label>
      {name !== '' && <Action onClick={() => onChange('')}>{t('news.noCover')}</Action>}
      <FormFault text={picture.fault ? t(`picture.${picture.fault}`) : form.fault} />
    </div>
  );
}

function base64url(bytes: Uint8Array): string {
  let text = '';
  // In chunks, because a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
