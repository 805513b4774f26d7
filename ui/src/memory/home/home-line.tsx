import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useDisagreements, useNews, useSince } from './home-queries.ts';

/** What happened since the last visit, in one line above the list, where the window has no room for the pane. */
export function HomeLine({ onOpen }: { onOpen(): void }) {
  const { data: news } = useNews(useSince());
  const disagreements = useDisagreements();
  return (
    <button type="button" className="home-line" title={strings.home.title} onClick={onOpen}>
      <Icon name="sparkle" />
      <span className="grow">
        {news && strings.home.sum(news.learned.length, news.changed.length, disagreements.length, news.more)}
      </span>
      <Icon name="chevron" small />
    </button>
  );
}
