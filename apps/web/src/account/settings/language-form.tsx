import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { CheckIcon } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import rows from '../../parts/search-list.module.css';
import { chooseLanguage } from '../../shell/choose-language.ts';
import css from './settings.module.css';

export function LanguageForm({ onDone }: { onDone: () => void }) {
  const { language } = useText();
  return (
    <div className={css.languages}>
      {LANGUAGES.map((choice) => (
        <button
          key={choice}
          type="button"
          className={`row full gap-12 px-12 text-left ${rows.choice}`}
          lang={LANGUAGE_TAGS[choice]}
          aria-current={choice === language || undefined}
          onClick={() => {
            chooseLanguage(choice);
            onDone();
          }}
        >
          {LANGUAGE_NAMES[choice]}
          {choice === language && <CheckIcon size={18} />}
        </button>
      ))}
    </div>
  );
}
