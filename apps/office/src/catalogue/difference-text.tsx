import { useText } from '../messages/text-context.tsx';
import { percentOf } from './rates.ts';

/** The name of a path within the rules: `cycles.5.payoutRate` is "Payout rate, 5 min". */
export function PathName({ path }: { path: string }) {
  const { t, word } = useText();
  const parts = path.split('.');
  const name = (id: string) => word('part', id);
  switch (parts[0]) {
    case 'cycles':
      return t('catalogue.rateOf', { minutes: parts[1] ?? '' });
    case 'limits':
      return parts[2] === 'max'
        ? t('catalogue.maxOf', { asset: parts[1] ?? '', minutes: parts[3] ?? '' })
        : `${name(parts[2] ?? '')} · ${parts[1]}`;
    case 'licences':
    case 'names':
    case 'sources':
    case 'guards':
      return parts[1] === undefined ? name(path) : `${name(parts[0])} · ${parts[1]}`;
    case 'levels':
      return t('catalogue.levelOf', { level: parts[1] ?? '' });
    case 'schedule':
      return parts[1] === 'holidays'
        ? t('catalogue.holidayOf', { date: parts[2] ?? '' })
        : name(parts[1] ?? '');
    default:
      return name(path);
  }
}

/** A value of the rules as staff read it: a payout rate in percent, others as they are written. */
export const valueText = (path: string, value: string): string =>
  path.startsWith('cycles.') ? `${percentOf(value)}%` : value;

export function DifferenceText(props: { path: string; before: string | null; after: string | null }) {
  const { t } = useText();
  const shown = (value: string | null) =>
    value === null ? t('catalogue.absent') : valueText(props.path, value);
  return (
    <>
      <PathName path={props.path} />: {shown(props.before)} → {shown(props.after)}
    </>
  );
}
