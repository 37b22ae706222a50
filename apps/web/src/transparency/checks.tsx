import type { Data } from '@fairtick/protocol';
import { Fragment } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { formatCount, formatDateTime } from '../state/format.ts';
import { Section } from './section.tsx';
import css from './transparency.module.css';

/** A key; if the log has had several, each with the sizes for which it is valid, the current one first. */
function Keys({ keys }: { keys: Data<'transparencyKey'>['ranges']['checkpoints'] | undefined }) {
  const { t } = useText();
  if (!keys) return <dd>…</dd>;
  return (
    <dd>
      {[...keys].reverse().map(({ key, from, until }) => (
        <div key={key} data-retired={until === null ? undefined : ''}>
          <code>{key}</code>
          {keys.length > 1 && (
            <small>
              {until === null
                ? t('open.keyFrom', { from: formatCount(from) })
                : t('open.keyUntil', { from: formatCount(from), until: formatCount(until) })}
            </small>
          )}
        </div>
      ))}
    </dd>
  );
}

function Witnesses() {
  const { t, tag } = useText();
  const { data } = useAnswer('transparency/witnesses');
  return (
    <Section id="witnesses" title={t('open.witnesses')} note={t('open.witnessesNote')}>
      <div className={`card p-16 ${css.card}`}>
        {data?.witnesses.length === 0 ? (
          <p className="note">{t('open.witnessesNone')}</p>
        ) : (
          <dl className={`${css.facts} ${css.witnesses}`}>
            {data?.witnesses.map(({ name, size, at }) => (
              <div key={name}>
                <dt className="breaks">{name}</dt>
                <dd className="ml-auto">
                  {size === null || at === null
                    ? t('open.witnessNever')
                    : t('open.witnessAt', { size: formatCount(size), time: formatDateTime(at, tag) })}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </Section>
  );
}

export function Checks() {
  const { t } = useText();
  const { data } = useAnswer('transparency/key');
  const { origin } = window.location;
  const commands: Readonly<Record<string, string>> = {
    receipt: 'fairtick verify receipt.json --key KEY --key KEY',
    replay: `fairtick replay receipt.json --url ${origin}`,
    monitor: `fairtick monitor ${origin}`,
  };
  return (
    <>
      <Section id="keys" title={t('open.keys')} note={t('open.keysNote')}>
        <div className={`card p-16 ${css.card}`}>
          <dl className={`stack gap-12 ${css.keys}`}>
            <div>
              <dt className="caption">{t('open.keyLog')}</dt>
              <Keys keys={data?.ranges.checkpoints} />
            </div>
            <div>
              <dt className="caption">{t('open.keyAcceptances')}</dt>
              <Keys keys={data?.ranges.acceptances} />
            </div>
          </dl>
        </div>
      </Section>
      <Witnesses />
      <Section id="checks" title={t('open.checks')}>
        <ol className={`stack gap-12 mt-12 ${css.steps}`}>
          {(['receipt', 'replay', 'monitor', 'owed'] as const).map((id) => (
            <li key={id} className="card">
              <h3>{t(`open.check.${id}`)}</h3>
              <p className="secondary">{t(`open.check.${id}Text`)}</p>
              {commands[id] && <code>{commands[id]}</code>}
            </li>
          ))}
        </ol>
        <p className={`note flex wrap mt-14 ${css.machine}`}>
          {t('open.machine')}{' '}
          {['checkpoint', 'stats', 'rules', 'liabilities'].map((name) => (
            <Fragment key={name}>
              <a className="link" href={`/api/transparency/${name}`}>
                {name}
              </a>{' '}
            </Fragment>
          ))}
          <a className="link" href="/api/docs">
            API
          </a>
        </p>
      </Section>
      <Section id="limits" title={t('open.limits')}>
        <ul className={`stack gap-8 mt-10 ${css.limits}`}>
          {(['quotes', 'clicks', 'solvency', 'puppets'] as const).map((id) => (
            <li key={id} className="secondary">
              {t(`open.limit.${id}`)}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
