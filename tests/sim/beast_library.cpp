// Beast's own code, compiled once for the simulator. Alone in its file: a program that has Beast from elsewhere, too,
// takes only one of the two.
#include <boost/beast/src.hpp>
