import { BuildLine } from '@fairtick/ui';
import { Suspense, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import css from './app.module.css';
import type { OfficePage } from './office-page.ts';

const GROUPS = ['queues', 'house', 'own'] as const;

/** Links to the pages that the reader's roles may see. */
export function Sidebar({ pages }: { pages: readonly OfficePage[] }) {
  const { t } = useText();
  const [location] = useLocation();
  const list = useRef<HTMLElement>(null);
  const page = location.split('/')[1];
  // On a phone the links are one line that scrolls.
  useEffect(() => {
    if (page)
      list.current
        ?.querySelector('[aria-current]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  }, [page]);
  return (
    <nav ref={list} className={css.side} aria-label={t('shell.navigation')}>
      {GROUPS.map((group) => pages.filter((page) => page.group === group))
        .filter((group) => group.length > 0)
        .map((group) => (
          <ul key={group[0]?.group}>
            {group.map(({ name, icon: Icon, Count }) => (
              <li key={name}>
                <Link href={`/${name}`} aria-current={page === name ? 'page' : undefined}>
                  <Icon size={18} />
                  {t(`page.${name}`)}
                  {Count && (
                    <span className={`ml-auto ink-3 ${css.count}`}>
                      <Suspense>
                        <Count />
                      </Suspense>
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      <p className={`caption ${css.build}`}>
        <BuildLine />
      </p>
    </nav>
  );
}
