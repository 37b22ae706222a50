import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { get, post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, buttonsClass, FormFault, SelectField, TextField, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import css from './catalogue.module.css';
import { CLASSES } from './products-table.tsx';
import { refreshCatalogue, useProducts } from './queries.ts';

type Lists = OfficeData<'catalogue/newProduct'>;

const EMPTY = {
  ...{ symbol: '', nameZh: '', nameTw: '', nameEn: '', aliases: '', assetClass: 'crypto', decimals: '2' },
  ...{ group: 'crypto', hours: 'round-the-clock', like: '', sources: '', guards: '', pythFeed: '' },
  ...{ reference: '', volatility: '', follows: '', note: '' },
};

/** Proposes another product. */
export function NewProductPage() {
  const { t } = useText();
  const lists = useQuery({
    queryKey: ['catalogue', 'new'],
    queryFn: ({ signal }) => get('catalogue/newProduct', {}, signal),
  });
  return (
    <div className="page linked">
      <p>
        <Link href="/">← {t('catalogue.products')}</Link>
      </p>
      <h1>{t('catalogue.newProduct')}</h1>
      {lists.data ? (
        <NewProductForm lists={lists.data} />
      ) : (
        <p role="status">{t(lists.isError ? 'shell.networkError' : 'shell.loading')}</p>
      )}
    </div>
  );
}

function NewProductForm({ lists }: { lists: Lists }) {
  const { t, word } = useText();
  const [, go] = useLocation();
  const products = useProducts().data ?? [];
  const form = useForm({ values: EMPTY, draft: 'new-product' });
  const send = async () => {
    const { symbol, decimals, assetClass, ...rest } = form.values;
    const { id } = await post('catalogue/proposeProduct', {
      ...rest,
      symbol: symbol.trim().toUpperCase(),
      assetClass: assetClass as (typeof CLASSES)[number],
      decimals: Number(decimals),
    });
    useToast.getState().show(t('catalogue.sent'));
    await refreshCatalogue();
    go(`/change/${id}`);
  };
  const select = (name: 'assetClass' | 'group' | 'hours' | 'like' | 'follows', values: readonly string[]) => (
    <SelectField label={word('part', name)} {...form.field(name)} required={name !== 'follows'}>
      {!values.includes(form.values[name]) && <option value="" />}
      {values.map((value) => (
        <option key={value} value={value}>
          {name === 'assetClass' ? word('class', value) : name === 'hours' ? word('hours', value) : value}
        </option>
      ))}
    </SelectField>
  );
  return (
    <form className={`stack gap-16 ${css.form}`} onSubmit={form.onSubmit(send)}>
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
      <fieldset className={`box ${css.group}`}>
        <legend>{t('catalogue.rules')}</legend>
        <div className={`columns-fit items-start full gap-12 ${css.row}`}>
          {select('assetClass', CLASSES)}
          {select('group', lists.groups)}
          {select('hours', lists.hours)}
          {select(
            'like',
            products.filter(({ rulesHash }) => rulesHash !== null).map(({ symbol }) => symbol),
          )}
          <TextField label={t('part.decimals')} inputMode="numeric" {...form.field('decimals')} />
        </div>
      </fieldset>
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
              label={t('part.guards')}
              hint={t('catalogue.sourcesOf', { list: lists.guards.join(', ') })}
              {...form.field('guards')}
              required={false}
            />
            <TextField label={t('part.pythFeed')} {...form.field('pythFeed')} required={false} />
          </>
        ) : (
          <>
            <p className={css.quiet}>{t('catalogue.simulatedText')}</p>
            <div className={`columns-fit items-start full gap-12 ${css.row}`}>
              <TextField label={t('part.reference')} {...form.field('reference')} required={false} />
              <TextField label={t('part.volatility')} {...form.field('volatility')} required={false} />
              {select('follows', lists.markets)}
            </div>
          </>
        )}
      </fieldset>
      <TextField
        label={t('catalogue.note')}
        hint={t('form.required')}
        maxLength={500}
        {...form.field('note')}
      />
      <p className={css.quiet}>{t('catalogue.newText')}</p>
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action type="submit" look="gold" disabled={form.isBusy}>
          {t('staff.propose')}
        </Action>
      </div>
    </form>
  );
}
