import { fieldIn, LANGUAGES, type Language } from '@fairtick/protocol/languages';
import { ArticleText, FileIcon, Tabs } from '@fairtick/ui';
import { usePicture } from '@fairtick/ui/picture';
import { useDeferredValue } from 'react';
import { useLocation } from 'wouter';
import { base64Of } from '../api/base64.ts';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, formClass, LongField, SelectField, TextField, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import css from './news.module.css';
import { type Draft, fieldsOf, firstWritten, isSame, missing, type Text } from './news-model.ts';
import { refreshNews, usePreview } from './queries.ts';

const KINDS = ['notice', 'rules', 'market', 'guide'] as const;

interface EditorProps {
  readonly id: string | null;
  readonly base: number;
  readonly saved: Draft;
  /** The open language; undefined until one is chosen. */
  readonly language: Language | undefined;
  readonly onLanguage: (language: Language) => void;
  readonly isReadOnly?: boolean;
}

/** The form of an article's draft, how it is saved, and which of its languages are written. */
function useDraft({ id, base, saved, isReadOnly = false }: EditorProps) {
  const { t } = useText();
  const [, go] = useLocation();
  const form = useForm({ draft: isReadOnly ? undefined : `news ${id} ${base}`, values: saved });
  const unwritten = missing(form.values);
  const save = async () => {
    const { id: savedId } = await post('news/save', { id: id ?? undefined, base, ...fieldsOf(form.values) });
    await refreshNews();
    useToast.getState().show(t('news.saved'));
    if (id === null) go(`/${savedId}`, { replace: true });
  };
  return {
    form,
    save,
    isSaved: isSame(form.values, saved),
    /** The languages that lack a text which others have. */
    lacking: unwritten.length < LANGUAGES.length ? unwritten : [],
  };
}
type DraftForm = ReturnType<typeof useDraft>['form'];

/** The editor of an article beside a preview for readers. Saving makes a new version but does not publish it. */
export function NewsEditor(props: EditorProps) {
  const { id, saved, onLanguage, isReadOnly = false } = props;
  const { t } = useText();
  const { form, save, isSaved, lacking } = useDraft(props);
  const language = props.language ?? firstWritten(saved);
  const labelOf = (one: Language) => {
    const label = t(`newsLanguage.${one}`);
    return lacking.includes(one) ? t('news.unwritten', { language: label }) : label;
  };
  return (
    <form onSubmit={form.onSubmit(save)}>
      <fieldset className={formClass} disabled={isReadOnly}>
        <About form={form} />
        <Tabs
          id="news-language"
          label={t('shell.language')}
          value={language}
          onChange={onLanguage}
          tabs={LANGUAGES.map((value) => ({ value, label: labelOf(value) }))}
        />
        <div
          role="tabpanel"
          aria-labelledby={`news-language-${language}`}
          className="halves gap-24"
          key={language}
        >
          <Texts form={form} language={language} />
          <Preview text={form.values.texts[language]} />
        </div>
        {!isReadOnly && lacking.length > 0 && <p className="note">{t('news.missing')}</p>}
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
            <Action look={id === null ? 'gold' : 'line'} type="submit" disabled={form.isBusy || isSaved}>
              {t(id === null ? 'news.saveDraft' : 'news.save')}
            </Action>
          </div>
        )}
      </fieldset>
    </form>
  );
}

/** What is the same in each language. */
function About({ form }: { form: DraftForm }) {
  const { t, word } = useText();
  return (
    <div className={css.about}>
      <SelectField
        label={t('news.kind')}
        choices={KINDS}
        nameOf={(kind) => word('newsKind', kind)}
        {...form.field('category')}
      />
      <TextField label={t('news.source')} {...form.field('source')} />
      <TextField label={t('news.sourceUrl')} inputMode="url" {...form.field('sourceUrl')} required={false} />
      <CoverField name={form.values.cover} onChange={(cover) => form.set({ cover })} />
    </div>
  );
}

function Texts({ form, language }: { form: DraftForm; language: Language }) {
  const { t } = useText();
  const { texts } = form.values;
  const field = (name: keyof Text) => ({
    value: texts[language][name],
    fault: form.faultOf(fieldIn(name, language)),
    onChange: ({ target }: { target: { value: string } }) => {
      // A summary is one line.
      const text = name === 'summary' ? target.value.replaceAll('\n', ' ') : target.value;
      form.set({ texts: { ...texts, [language]: { ...texts[language], [name]: text } } });
    },
  });
  return (
    <div className={formClass}>
      <TextField label={t('news.title')} maxLength={200} {...field('title')} />
      <LongField
        label={t('news.summary')}
        hint={t('news.summaryHint')}
        rows={2}
        maxLength={500}
        {...field('summary')}
      />
      <LongField label={t('news.body')} rows={18} maxLength={30_000} isCode {...field('body')} />
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
      const { name: taken } = await post('news/cover', { picture: base64url(await base64Of(file)) });
      onChange(taken);
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

/** The alphabet that needs no escaping in a form. */
const base64url = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
