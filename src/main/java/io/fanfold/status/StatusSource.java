package io.fanfold.status;

/** Makes a status as it is now. Safe for all threads. */
@FunctionalInterface
public interface StatusSource {
    /**
     * Who looks.
     *
     * @param user the user name of an account of the server
     * @param all whether the account may see the statements of other users, that is, has PROCESS
     */
    record Viewer(String user, boolean all) {
        /** Whether statements of a user are shown. */
        public boolean sees(String other) {
            return all || user.equals(other);
        }
    }

    StatusTable read(Viewer viewer);
}
