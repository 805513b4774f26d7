import { z } from 'zod';
import { freshnessFields, projectField, sourceSchema, time } from './fact-schemas.ts';

// Schemas of search.

const whyTerm = z
  .strictObject({
    word: z.string().describe('of the query'),
    matched: z.string().describe('the word stem found'),
    via: z.enum(['word', 'joined', 'prefix', 'spelling', 'meaning']),
    fields: z.array(z.string()),
    weight: z.number(),
    idf: z.number().describe('how rare the word is'),
  })
  .meta({ id: 'WhyTerm' });
const whySchema = z
  .strictObject({
    terms: z.array(whyTerm),
    missing: z.array(z.string()).describe('words of the query that nothing answers'),
    boosts: z.strictObject({
      pairs: z.array(z.array(z.string())).describe('words side by side in both'),
      subjects: z.array(z.string()).describe('words that are part of the key'),
      project: z.string().optional().describe('of the request, if it is about that'),
      folder: z.string().optional().describe('the path of its key, where others in it answer, too'),
      time: z.literal(true).optional().describe('it is from the time that the query names'),
    }),
    sentence: z.string().describe('all of it for a person to read'),
    lexical: z.number(),
    meaning: z.number().optional().describe('nearness of its words in meaning, without embeddings'),
    vector: z.number().optional().describe('nearness of meaning, with embeddings'),
  })
  .meta({ id: 'Why' });

const searchHit = z
  .strictObject({
    key: z.string(),
    space: z.string().optional().describe('where it is, if the request names spaces; mine: your own memory'),
    kind: z.string(),
    category: z.string(),
    tags: z.array(z.string()),
    project: projectField,
    score: z.number().min(0).max(1),
    snippet: z.string(),
    highlights: z.array(z.tuple([z.int(), z.int()])).describe('start and end of each match in the snippet'),
    created_at: time,
    updated_at: time,
    expires_at: time,
    source: sourceSchema.optional(),
    ...freshnessFields,
    confirmed_at: freshnessFields.confirmed_at.optional().describe('facts only'),
    confident: z
      .boolean()
      .optional()
      .describe('with a query: more likely relevant than noise; results after the last such hit are weak'),
    why: whySchema.optional(),
  })
  .meta({ id: 'SearchHit' });
export const searchResponse = z
  .strictObject({
    results: z.array(searchHit),
    took_ms: z.number(),
    abstained: z.boolean().describe('nothing found is good enough to be believed'),
    degraded: z.boolean().optional().describe('embeddings are on, but did not answer in time'),
  })
  .meta({ id: 'SearchResults' });
