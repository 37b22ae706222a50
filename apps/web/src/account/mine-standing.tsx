import type { Standing } from '@fairtick/protocol';
import { ForwardIcon, Ruler, Skeleton } from '@fairtick/ui';
import { useState } from 'react';
import { faultText } from '../api/tell-fault.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { formatDay } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import own from './mine.module.css';

const LEVELS = ['bronze', 'silver', 'gold', 'platinum'] as const;
const MOST = 100;

export function ScoreCard() {
  const { t } = useText();
  const userInfo = useSession((state) => state.userInfo);
  const [isOpen, setOpen] = useState(false);
  const standing = useAnswer('user/standing');
  const score = standing.data?.creditScore ?? userInfo?.creditScore;
  if (score === undefined) return null;
  const failure = standing.error ? faultText(standing.error, t) : null;
  return (
    <>
      <button
        type="button"
        className="card block full mt-12 py-14 px-16 text-left"
        onClick={() => setOpen(true)}
      >
        <span className={`secondary flex between gap-12 ${own.scoreHead}`}>
          <span>{t('mine.score')}</span>
          <span>
            {standing.data && t('mine.scoreFacts', { count: standing.data.facts.length })}
            <ForwardIcon size={16} />
          </span>
        </span>
        <span className={`row gap-12 mt-4 ${own.scale}`}>
          <b>{score}</b>
          <span>
            <Ruler units={50} share={score / MOST} />
          </span>
          <small>{MOST}</small>
        </span>
      </button>
      <Dialog title={t('mine.score')} isOpen={isOpen} onClose={() => setOpen(false)}>
        {standing.data ? (
          <Facts standing={standing.data} />
        ) : failure ? (
          <p className="note mt-14">{failure}</p>
        ) : (
          <Skeleton width="100%" height={240} />
        )}
      </Dialog>
    </>
  );
}

function Facts({ standing }: { standing: Standing }) {
  const { t, tag } = useText();
  return (
    <>
      <section className={own.group}>
        <h3>
          {standing.creditScore} / {MOST}
        </h3>
        <table className={`full ${own.facts}`}>
          <tbody>
            {standing.facts.map(({ name, points, most }) => (
              <tr key={name}>
                <th className="ink-2" scope="row">
                  {t(`mine.fact.${name}`)}
                </th>
                <td>{t('mine.points', { points, most })}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="note mt-14">{t('mine.scoreNote')}</p>
      </section>
      <section className={own.group}>
        <h3>{t('mine.level')}</h3>
        <table className={`full ${own.facts}`}>
          <tbody>
            {LEVELS.map((level) => (
              <tr key={level} data-now={level === standing.level || undefined}>
                <th className="ink-2" scope="row">
                  {t(`mine.level.${level}`)}
                  {level === standing.level && ` · ${t('mine.levelNow')}`}
                </th>
                <td>{t(`mine.rule.${level}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {standing.nextLevel && (
          <p className="note mt-14">
            {t('mine.nextLevel', {
              time: formatDay(standing.nextLevel.at, tag),
              level: t(`mine.level.${standing.nextLevel.level}`),
            })}
          </p>
        )}
        <p className="note mt-14">{t('mine.levelRule')}</p>
      </section>
    </>
  );
}
