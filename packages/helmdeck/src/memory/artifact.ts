/** What is known of an artifact without reading it. */
export interface ArtifactInfo {
  artifact_key: string;
  filename: string;
  content_type: string;
  kind?: string;
  size: number;
  created_at: string;
  expires_at: string;
}

export interface NewArtifact {
  content: Uint8Array;
  filename?: string;
  contentType?: string;
  kind?: string;
}

/** One caller's artifacts. */
export interface Artifacts {
  put(artifact: NewArtifact): Promise<ArtifactInfo>;
  /** `not_found` for an artifact of somebody else, too. */
  get(artifactKey: string): Promise<{ info: ArtifactInfo; content: Uint8Array }>;
  /** Newest first; `filename` is a part of the name, in any letter case. */
  list(page: { filename?: string; limit: number; cursor?: string }): Promise<{
    artifacts: ArtifactInfo[];
    next_cursor?: string;
  }>;
  delete(artifactKey: string): Promise<boolean>;
}
