import { stateText } from '@fairtick/protocol/request-states';
import { CheckIcon, ForwardIcon } from '@fairtick/ui';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import parts from '../parts/parts.module.css';
import css from './withdrawal.module.css';
import type { Step, WithdrawalSummary } from './withdrawal-model.ts';

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
    name: 'withdrawal.step.realName',
    note: 'withdrawal.step.realNameNote',
    go: 'withdrawal.step.verify',
    prompt: 'withdrawal.prompt.realName',
    path: '/realName',
  },
  payWord: {
    name: 'withdrawal.step.password',
    note: 'withdrawal.step.passwordNote',
    go: 'withdrawal.step.set',
    prompt: 'withdrawal.prompt.password',
    path: '/setPayWord',
  },
  bank: {
    name: 'withdrawal.step.bank',
    note: 'withdrawal.step.bankNote',
    go: 'withdrawal.step.bind',
    prompt: 'withdrawal.prompt.bank',
    path: '/editBank',
  },
  address: {
    name: 'withdrawal.step.address',
    note: 'withdrawal.step.addressNote',
    go: 'withdrawal.step.bind',
    prompt: 'withdrawal.prompt.address',
    path: '/editAddress',
  },
};

export function MissingSteps({ summary }: { summary: WithdrawalSummary }) {
  const { t, language } = useText();
  const left = summary.steps.filter(({ isDone }) => !isDone).length;
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <h2>{t('withdrawal.stepsLeft', { count: left })}</h2>
        <span>{t('withdrawal.amountKept')}</span>
      </div>
      <ol className={`card lined px-14 ${css.steps}`}>
        {summary.steps.map(({ step, isDone, isPending }) => {
          const words = STEPS[step];
          const isNext = step === summary.missing;
          // Each missing step has its prompt; the button below shows the next step's.
          const note = isDone || isNext ? words.note : words.prompt;
          return (
            <li key={step} data-done={isDone || undefined} data-next={isNext || undefined}>
              <span className={css.mark}>{isDone ? <CheckIcon size={20} /> : <i />}</span>
              <span className="fill">
                <b className="block text-15">{t(words.name)}</b>
                <small>{t(isPending ? 'withdrawal.step.pendingNote' : note)}</small>
              </span>
              {isDone ? (
                <span className="note rigid">{t('withdrawal.step.done')}</span>
              ) : isPending ? (
                <span className="note rigid">{stateText('pending', null, language)}</span>
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
