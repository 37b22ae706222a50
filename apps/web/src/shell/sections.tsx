import { useId } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import { Link } from './link.tsx';
import { SECTIONS } from './routes.ts';
import { UnreadMark } from './tab-bar.tsx';

/** The list of the account's screens, beside each of them in a wide window. */
export default function Sections({ current }: { current: string }) {
  return SECTIONS.map((section) => <Group key={section.screens[0]} {...section} current={current} />);
}

function Group({ heading, screens, current }: (typeof SECTIONS)[number] & { current: string }) {
  const { t } = useText();
  const id = useId();
  const isPaused = useSession(({ userInfo }) => userInfo?.pause != null);
  return (
    <>
      {heading && (
        <p id={id} className="caption">
          {t(heading)}
        </p>
      )}
      <ul aria-labelledby={heading ? id : undefined}>
        {screens.map((name) => (
          <li key={name}>
            <Link href={`/${name}`} aria-current={name === current ? 'page' : undefined}>
              {t(`title.${name}`)}
              {name === 'notices' && <UnreadMark />}
              {name === 'limits' && isPaused && <span className="caption">{t('mine.paused')}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
