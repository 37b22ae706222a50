import { BellIcon, IconButton, StarIcon } from '@fairtick/ui';
import { tellFault } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';
import { Link } from '../shell/link.tsx';
import { VisitorControls } from '../shell/visitor-controls.tsx';
import { useIsLoggedIn } from '../state/session.ts';
import { toggleWatched, useWatchlist } from './market/watchlist.ts';
import css from './product.module.css';

interface ActionProps {
  readonly symbol: string;
  /** For a reader not known yet: a class on the root element shows what is theirs. */
  readonly isPrerendered?: boolean;
}

export function BarActions({ symbol, isPrerendered = false }: ActionProps) {
  return (
    <>
      <AlertLink symbol={symbol} isPrerendered={isPrerendered} />
      <WatchButton symbol={symbol} />
      <VisitorControls isCompact />
    </>
  );
}

export function AlertLink({ symbol, isPrerendered = false }: ActionProps) {
  const { t } = useText();
  if (!useIsLoggedIn() && !isPrerendered) return null;
  return (
    <Link
      href={`/alerts?symbol=${encodeURIComponent(symbol)}`}
      aria-label={t('title.alerts')}
      title={t('title.alerts')}
      className={`centred ink-2 ${isPrerendered ? 'for-member' : ''} ${css.alerts}`}
    >
      <BellIcon size={20} />
    </Link>
  );
}

export function WatchButton({ symbol }: { symbol: string }) {
  const { t } = useText();
  const watched = useWatchlist();
  const isWatched = watched.includes(symbol);
  return (
    <IconButton
      label={isWatched ? t('market.unwatch') : t('market.addWatch')}
      data-watched={isWatched || undefined}
      className={css.star ?? ''}
      onClick={() => toggleWatched(symbol, watched).catch((error: unknown) => tellFault(error, t))}
    >
      <StarIcon size={20} />
    </IconButton>
  );
}
