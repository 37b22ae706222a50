import { LANGUAGE_NAMES, LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { saveFile } from '@fairtick/ui/save-file';
import { Link } from 'wouter';
import { getFile } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../shell/code-text.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import css from './orders.module.css';
import type { OrderCase } from './queries.ts';

/** Shows the account of an order in its customer's language, to copy, to print, and as PDF with the receipt attached. */
export function Account({ found: { order, customer, account } }: { found: OrderCase }) {
  const { t } = useText();
  const form = useForm();
  const language = customer.language as Language;
  const { title, lines } = account;
  const { id } = order;
  const savePdf = async () => {
    const name = `fairtick-order-${id}.pdf`;
    saveFile(new File([await getFile('order/account', { id })], name, { type: 'application/pdf' }));
  };
  return (
    <article className={css.account} aria-labelledby="account-title">
      <nav className={css.acts} aria-label={t('shell.actions')}>
        <Link href={`/${id}`}>← {t('order.case', { id })}</Link>
        <Copy text={[title, ...lines].join('\n')} word={t('order.copy')} />
        <Action onClick={() => window.print()}>{t('order.print')}</Action>
        <Action look="gold" disabled={form.isBusy} onClick={() => form.send(savePdf)}>
          {t('order.pdf')}
        </Action>
        <p className="caption">{t('order.accountText', { language: LANGUAGE_NAMES[language] })}</p>
        <FormFault text={form.fault} />
      </nav>
      <div lang={LANGUAGE_TAGS[language]}>
        <h2 id="account-title">{title}</h2>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </article>
  );
}
