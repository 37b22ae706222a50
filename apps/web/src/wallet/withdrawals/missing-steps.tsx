import { CheckIcon, ForwardIcon } from '@fairtick/ui';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import parts from '../parts/parts.module.css';
import css from './withdrawal.module.css';
import type { Step, WithSummary } from './withdrawal-model.ts';

interface StepWords {
  readonly name: MessageId;
  readonly note: MessageId;
  readonly go: MessageId;
  /** The prompt above the button that leads to the step. */
  readonly prompt: MessageId;
  readonly path: string;
}

export const STEPS: Readonly<Record<Step, StepWords>> = {
  realName: {
    name: 'with.step.realName',
    note: 'with.step.realNameNote',
    go: 'with.step.verify',
    prompt: 'with.prompt.realName',
    path: '/realName',
  },
  payWord: {
    name: 'with.step.payWord',
    note: 'with.step.payWordNote',
    go: 'with.step.set',
    prompt: 'with.prompt.payWord',
    path: '/setPayWord',
  },
  bank: {
    name: 'with.step.bank',
    note: 'with.step.bankNote',
    go: 'with.step.bind',
    prompt: 'with.prompt.bank',
    path: '/editBank',
  },
  address: {
    name: 'with.step.address',
    note: 'with.step.addressNote',
    go: 'with.step.bind',
    prompt: 'with.prompt.address',
    path: '/editAddress',
  },
};

/** The steps required before a withdrawal: those done, and links to the others. */
export function MissingSteps({ summary }: { summary: WithSummary }) {
  const { t } = useText();
  const left = summary.steps.filter(({ isDone }) => !isDone).length;
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <h2>{t('with.stepsLeft', { count: left })}</h2>
        <span>{t('with.amountKept')}</span>
      </div>
      <ol className={`card lined ${css.steps}`}>
        {summary.steps.map(({ step, isDone, isPending }) => {
          const words = STEPS[step];
          const isNext = step === summary.missing;
          // Each missing step has its prompt; the button below shows the next step's.
          const note = isDone || isNext ? words.note : words.prompt;
          return (
            <li key={step} data-done={isDone || undefined} data-next={isNext || undefined}>
              <span className={css.mark}>{isDone ? <CheckIcon size={20} /> : <i />}</span>
              <span className={css.stepText}>
                <b>{t(words.name)}</b>
                <small>{t(isPending ? 'with.step.pendingNote' : note)}</small>
              </span>
              {isDone ? (
                <span className={`note ${css.done}`}>{t('with.step.done')}</span>
              ) : isPending ? (
                <span className={`note ${css.done}`}>{t('wallet.status.review')}</span>
              ) : (
                <Link href={words.path}>
                  {t(words.go)}
                  <ForwardIcon size={16} />
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
