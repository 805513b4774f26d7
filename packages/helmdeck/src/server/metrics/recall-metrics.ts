import type { Recall } from '../../recall/recall.ts';
import type { ScrapedMetrics } from './scraped.ts';

type Status = ReturnType<Recall['status']>;

/** Metrics of the search images, and of embeddings. */
export function createRecallMetrics(
  { gauge, counter }: ScrapedMetrics,
  status: () => Status | undefined,
): void {
  gauge('helmdeck_recall_images', 'Search images in RAM', () => status()?.images);
  gauge(
    'helmdeck_recall_image_bytes',
    'Size of the search images, as counted against HELMDECK_RECALL_CACHE_BYTES',
    () => status()?.bytes,
  );
  counter('helmdeck_recall_lookups_total', 'Lookups of search images', () => status()?.lookups);
  counter(
    'helmdeck_recall_image_loads_total',
    'Lookups that had to load the image first',
    () => status()?.loads,
  );
  const embeddings = () => status()?.embeddings;
  gauge('helmdeck_embeddings_waiting', 'Facts that wait for their vector', () => embeddings()?.waiting ?? 0);
  counter('helmdeck_embeddings_made_total', 'Facts that got their vector', () => embeddings()?.done);
  counter(
    'helmdeck_embeddings_failed_total',
    'Facts whose text the embedding model did not accept',
    () => embeddings()?.failed,
  );
  counter('helmdeck_semantic_searches_total', 'Searches that wanted a vector', () => embeddings()?.queries);
  counter(
    'helmdeck_degraded_searches_total',
    'Searches by words alone, because their vector was late or unavailable',
    () => embeddings()?.degraded,
  );
}
