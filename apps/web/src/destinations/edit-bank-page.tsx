import type { UserInfo } from '@fairtick/protocol';
import { Button, buttonClass, ClockIcon, Empty, FileIcon, LockIcon } from '@fairtick/ui';
import { useMemo, useReducer, useRef, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import css from '../account/account.module.css';
import { Failure, TextField } from '../account/form-parts.tsx';
import { NetworkError, post, RefusedError } from '../api/client.ts';
import { useText, WithTexts } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { useForm } from '../shell/use-form.ts';
import { useSession } from '../state/session.ts';
import { type BankCardField, EMPTY_CARD, errors, reduce, summarise } from './bank-card-model.ts';
import { changed } from './changed.ts';
import own from './destinations.module.css';

type Card = UserInfo['banks'][number];

/** `/editBank`: adds a card; with `?id=` edits a bound one. */
export default function EditBankPage() {
  return (
    <WithTexts part="identity">
      <EditBank />
    </WithTexts>
  );
}

function EditBank() {
  const { t } = useText();
  const id = new URLSearchParams(useSearch()).get('id');
  const card = useSession((state) => state.userInfo?.banks.find((bank) => bank.id === id));
  if (id !== null && !card)
    return (
      <Empty icon={<FileIcon size={28} />} title={t('card.gone')}>
        <Link href="/bank" className={`${buttonClass} ${own.back}`} data-look="line" data-size="small">
          {t('title.bank')}
        </Link>
      </Empty>
    );
  return <CardForm key={id} card={card ?? null} />;
}

function CardForm({ card }: { card: Card | null }) {
  const { t } = useText();
  const title = card ? `•••• ${card.last4}` : t('card.new');
  useNavbar(useMemo(() => ({ title }), [title]));
  const [fields, dispatch] = useReducer(reduce, card ? { ...EMPTY_CARD, ...pick(card) } : EMPTY_CARD);
  // Set after a lost answer: the card may already be bound.
  const mayBeThere = useRef(false);
  const form = useForm<BankCardField>({
    shows: 'all',
    check: () => errors(fields),
  });
  const send = async () => {
    try {
      await post('user/setBank', { id: card?.id, ...summarise(fields).fields });
    } catch (error) {
      const isThere = mayBeThere.current && error instanceof RefusedError && error.code === 'CARD_BOUND';
      if (error instanceof NetworkError) mayBeThere.current = true;
      if (!isThere) throw error;
    }
    await changed(t('shell.modified'), '/bank');
  };
  const text = (field: Exclude<BankCardField, 'cardNumber'>) => ({
    value: fields[field],
    fault: form.faultOf(field),
    maxLength: 100,
    onChange: (value: string) => {
      form.clear(field);
      dispatch({ type: 'text', field, value });
    },
  });
  return (
    <div className={css.page}>
      <p className={css.lead}>{card ? t('card.changeLead') : t('card.lead')}</p>
      <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 24 }}>
        <TextField
          label={t('card.holder')}
          hint={t('card.holderHint')}
          autoComplete="cc-name"
          {...text('holder')}
        />
        <TextField label={t('card.bank')} {...text('bank')} />
        <TextField label={t('card.branch')} {...text('branch')} />
        <TextField
          label={t('card.number')}
          hint={card ? t('card.numberAgain') : t('card.numberHint')}
          value={fields.cardNumber}
          fault={form.faultOf('cardNumber')}
          maxLength={40}
          inputMode="numeric"
          autoComplete="cc-number"
          onChange={(value) => {
            form.clear('cardNumber');
            dispatch({ type: 'number', value });
          }}
          onBlur={() => dispatch({ type: 'group' })}
        />
        <p className={css.note}>
          <LockIcon size={20} />
          <span>{t('card.privacy')}</span>
        </p>
        <p className={css.note}>
          <ClockIcon size={20} />
          <span>{t('hold.starts')}</span>
        </p>
        <Failure text={form.fault} />
        <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
          {form.isBusy ? t('form.saving') : t('account.save')}
        </Button>
        {card && <RemoveCard card={card} />}
      </form>
    </div>
  );
}

const pick = ({ holder, bank, branch }: Card) => ({ holder, bank, branch });

function RemoveCard({ card }: { card: Card }) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const form = useForm({ shows: 'all' });
  const remove = async () => {
    try {
      await post('user/removeBank', { id: card.id });
    } catch (error) {
      // Already removed, here or elsewhere: this counts as success.
      if (!(error instanceof RefusedError) || error.code !== 'CARD_NOT_FOUND') throw error;
    }
    setOpen(false);
    await changed(t('shell.modified'), '/bank');
  };
  return (
    <>
      <button type="button" className={own.danger} onClick={() => setOpen(true)}>
        {t('card.remove')}
      </button>
      <Dialog title={t('card.removeTitle')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className={css.text}>{t('card.removeText', { bank: card.bank, last4: card.last4 })}</p>
        <div className={own.confirm}>
          <Failure text={form.fault} />
          <Button isBlock disabled={form.isBusy} onClick={() => form.send(remove)}>
            {t('card.removeYes')}
          </Button>
          <Button isBlock look="quiet" onClick={() => setOpen(false)}>
            {t('card.removeNo')}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
