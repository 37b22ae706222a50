import { CheckIcon, FaultIcon } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { readable } from '../state/amounts.ts';
import css from './treasury.module.css';

/** An account as the server names it: `customer 1000 available`, `trading`. A customer's links to their transfers. */
export function AccountName({ name }: { name: string }) {
  const { t, word } = useText();
  const match = /^customer (\d+) (\w+)$/.exec(name);
  if (!match) return word('account', name);
  const id = match[1] as string;
  return (
    <>
      <Link href={`~/ledger?customer=${id}`}>{t('ledger.customer', { id })}</Link>
      <span className="note"> {word('account', match[2] as string)}</span>
    </>
  );
}

/** `deposit:1000` in words. */
export function useCauseText(): (cause: string) => string {
  const { word } = useText();
  return (cause) => {
    const [kind, id] = cause.split(':') as [string, string | undefined];
    return id === undefined ? kind : `${word('cause', kind)} ${id}`;
  };
}

export function CauseLink({ cause }: { cause: string }) {
  const text = useCauseText();
  return <Link href={`~/ledger/cause?of=${encodeURIComponent(cause)}`}>{text(cause)}</Link>;
}

/** A check mark or a fault icon with words; never the stamp. */
export function Verdict({ isRight, children }: { isRight: boolean; children: ReactNode }) {
  return (
    <span className={`inline-row gap-6 ${css.verdict}`} data-wrong={isRight ? undefined : ''}>
      {isRight ? <CheckIcon size={18} /> : <FaultIcon size={18} />}
      {children}
    </span>
  );
}

export function Findings({
  caption,
  list,
}: {
  caption: string;
  list: readonly { rule: string; detail: string }[];
}) {
  const { word } = useText();
  const causeText = useCauseText();
  return (
    <ul className={`stack gap-8 ${css.findings}`} aria-label={caption}>
      {list.map(({ rule, detail }) => (
        <li key={`${rule} ${detail}`}>
          <strong>{word('finding', rule)}</strong>
          <code className="ink-2">
            {detail
              .split(' · ')
              .map((part, at) => (at === 0 && CAUSE.test(part) ? causeText(part) : asRead(part)))
              .join(' · ')}
          </code>
        </li>
      ))}
    </ul>
  );
}

const CAUSE = /^[a-z_]+:\d+$/;
/** `7500.00 USD` with its thousands apart; any other part of a finding as it is. */
const asRead = (part: string): string =>
  /^-?\d+\.\d+ [A-Z]+( ≠ -?\d+\.\d+ [A-Z]+)?$/.test(part)
    ? part.replace(/-?\d+\.\d+/g, (amount) => readable(amount))
    : part;

/** A text in a cell that may take several lines. */
export const Reason = ({ children }: { children: ReactNode }) => <div className={css.reason}>{children}</div>;

/** Shows one line of a text, and the whole text on hovering. */
export const Cut = ({ text }: { text: string }) => (
  <span className={css.cut} title={text}>
    {text}
  </span>
);
