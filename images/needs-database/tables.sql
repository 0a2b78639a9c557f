CREATE TABLE visits (what text);

