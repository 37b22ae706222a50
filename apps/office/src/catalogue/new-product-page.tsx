import type { OfficeData } from '@fairtick/protocol/office';
import { Link, useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { FormEnd, SelectField, TextField, useForm } from '../shell/form.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { useToast } from '../state/toast.ts';
import css from './catalogue.module.css';
import { CLASSES } from './products-table.tsx';
import { refreshCatalogue, useNewProduct, useProducts } from './queries.ts';

type Lists = OfficeData<'catalogue/newProduct'>;

const EMPTY = {
  ...{ symbol: '', nameZh: '', nameTw: '', nameEn: '', aliases: '', assetClass: 'crypto', decimals: '2' },
  ...{ group: 'crypto', hours: 'round-the-clock', like: '', sources: '', guards: '', pythFeed: '' },
  ...{ reference: '', volatility: '', follows: '', note: '' },
};

/** Proposes another product. */
export function NewProductPage() {
  const { t } = useText();
  return (
    <div className="page linked">
      <p>
        <Link href="/">← {t('catalogue.products')}</Link>
      </p>
      <h1>{t('catalogue.newProduct')}</h1>
      <Loaded query={useNewProduct()}>{(lists) => <NewProductForm lists={lists} />}</Loaded>
    </div>
  );
}

type ProductForm = ReturnType<typeof useForm<typeof EMPTY>>;

function NewProductForm({ lists }: { lists: Lists }) {
  const { t } = useText();
  const [, go] = useLocation();
  const form = useForm({ values: EMPTY, draft: 'new-product' });
  const send = async () => {
    const symbol = form.values.symbol.trim().toUpperCase();
    const { id } = await post('catalogue/proposeProduct', { ...form.values, symbol });
    useToast.getState().show(t('catalogue.sent'));
    await refreshCatalogue();
    go(`/change/${id}`);
  };
  return (
    <form className={`stack gap-16 ${css.form}`} onSubmit={form.onSubmit(send)}>
      <Names form={form} />
      <Begins form={form} lists={lists} />
      <Prices form={form} lists={lists} />
      <TextField
        label={t('catalogue.note')}
        hint={t('form.required')}
        maxLength={500}
        {...form.field('note')}
      />
      <p className={css.quiet}>{t('catalogue.newText')}</p>
      <FormEnd form={form}>{t('staff.propose')}</FormEnd>
    </form>
  );
}

function Names({ form }: { form: ProductForm }) {
  const { t } = useText();
  return (
    <fieldset className={`box ${css.group}`}>
      <legend>{t('part.names')}</legend>
      <div className={`columns-fit items-start full gap-12 ${css.row}`}>
        <TextField
          label={t('catalogue.symbol')}
          hint={t('catalogue.symbolHint')}
          maxLength={20}
          {...form.field('symbol')}
        />
        <TextField label={t('catalogue.nameZh')} maxLength={60} {...form.field('nameZh')} />
        <TextField label={t('catalogue.nameTw')} maxLength={60} {...form.field('nameTw')} />
        <TextField label={t('catalogue.nameEn')} maxLength={60} {...form.field('nameEn')} />
      </div>
      <TextField
        label={t('part.aliases')}
        hint={t('catalogue.aliasesHint')}
        maxLength={200}
        {...form.field('aliases')}
        required={false}
      />
    </fieldset>
  );
}

/** The rules that the product begins with. */
function Begins({ form, lists }: { form: ProductForm; lists: Lists }) {
  const { t, word } = useText();
  const likes = (useProducts().data ?? []).flatMap(({ symbol, rulesHash }) =>
    rulesHash === null ? [] : [symbol],
  );
  return (
    <fieldset className={`box ${css.group}`}>
      <legend>{t('catalogue.rules')}</legend>
      <div className={`columns-fit items-start full gap-12 ${css.row}`}>
        <SelectField
          label={t('part.assetClass')}
          choices={CLASSES}
          nameOf={(one) => word('class', one)}
          {...form.field('assetClass')}
        />
        <SelectField
          label={t('part.group')}
          none={lists.groups.includes(form.values.group) ? undefined : ''}
          choices={lists.groups}
          {...form.field('group')}
        />
        <SelectField
          label={t('part.hours')}
          choices={lists.hours}
          nameOf={(one) => word('hours', one)}
          {...form.field('hours')}
        />
        <SelectField label={t('part.like')} none="" choices={likes} {...form.field('like')} />
        <TextField label={t('part.decimals')} inputMode="numeric" {...form.field('decimals')} />
      </div>
    </fieldset>
  );
}

/** Where its prices come from, by the feed in use. */
function Prices({ form, lists }: { form: ProductForm; lists: Lists }) {
  const { t } = useText();
  const optional = (name: 'guards' | 'pythFeed' | 'reference' | 'volatility' | 'follows') => ({
    label: t(`part.${name}`),
    ...form.field(name),
    required: false,
  });
  return (
    <fieldset className={`box ${css.group}`}>
      <legend>{t('catalogue.prices')}</legend>
      {lists.feed === 'live' ? (
        <>
          <TextField
            label={t('part.sources')}
            hint={t('catalogue.sourcesOf', { list: lists.sources.join(', ') })}
            {...form.field('sources')}
          />
          <TextField
            hint={t('catalogue.sourcesOf', { list: lists.guards.join(', ') })}
            {...optional('guards')}
          />
          <TextField {...optional('pythFeed')} />
        </>
      ) : (
        <>
          <p className={css.quiet}>{t('catalogue.simulatedText')}</p>
          <div className={`columns-fit items-start full gap-12 ${css.row}`}>
            <TextField {...optional('reference')} />
            <TextField {...optional('volatility')} />
            <SelectField none="" choices={lists.markets} {...optional('follows')} />
          </div>
        </>
      )}
    </fieldset>
  );
}
